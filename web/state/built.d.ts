/** The first frame of web/first-frame.js, which web/build.js makes a module; null without a model. */
declare module '#first-frame' {
  export const built: import('./first-frame.js').BuiltFrame | null;
}
