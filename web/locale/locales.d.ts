/** Every locale/*.json, keyed by language code; web/build.js makes this module from the folder. */
declare module '#locales' {
  export const locales: Record<string, import('./locale.js').Messages>;
}

/** The strings of a view, the same way. */
declare module '#locales/*' {
  export const locales: Record<string, import('./locale.js').Messages>;
}
