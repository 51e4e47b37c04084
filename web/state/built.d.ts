/** What web/first-frame.js computes, which web/build.js makes into a module; null without a model. */
declare module '#first-frame' {
  export const built: import('./first-frame.js').BuiltFrame | null;
}
