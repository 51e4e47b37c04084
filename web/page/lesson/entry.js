/** The entry script of lesson pages. The address decides: a lesson, its teacher's guide, or the editor. */
addEventListener('logit-ready', async () => (await import('../offline/keep-site.js')).keepSite(), {
  once: true,
});
enter(/** @type {Element} */ (document.querySelector('logit-lesson')));

/** @param {Element} place the page's <logit-lesson>, whose code is not loaded yet */
async function enter(place) {
  const query = new URLSearchParams(location.search);
  const writing = query.get('lesson') === 'new';
  if (!writing && !query.has('guide')) {
    await import('./lesson.js');
    return;
  }
  const element = document.createElement(writing ? 'logit-lesson-editor' : 'logit-lesson-guide');
  element.append(...place.children);
  element.setAttribute('lesson', place.getAttribute('lesson') ?? '');
  place.replaceWith(element);
  await (writing ? import('./edit/editor.js') : import('./teacher.js'));
}
