/** What web/first.js computes, which web/build.js makes into a module; null without a model. */
declare module '#first' {
  export const built: import('./first.js').Built | null;
}
