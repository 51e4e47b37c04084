/**
 * Tells tests/run.js, over the channel between the two, which test begins and how each ends. It
 * prints nothing: what a reader wants to see, Node's own `spec` prints beside it.
 */
export default async function* report(source) {
  for await (const { type, data } of source) {
    if (!['test:dequeue', 'test:pass', 'test:fail'].includes(type)) continue;
    process.send?.({
      type,
      name: data.name,
      nesting: data.nesting,
      suite: data.details?.type === 'suite',
      skip: data.skip,
      broken: data.details?.error?.failureType === 'testCodeFailure',
      why: data.details?.error?.cause?.message ?? data.details?.error?.message,
    });
    yield '';
  }
}
