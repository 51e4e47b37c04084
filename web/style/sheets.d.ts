/** A style sheet in a module: what the build makes of it. */
declare module '*.css' {
  const sheet: import('lit').CSSResult;
  export default sheet;
}
