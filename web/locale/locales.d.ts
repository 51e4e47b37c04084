/** The strings of the page, which web/build.js makes into modules of the folder's JSON files. */
declare module '#locales' {
  type Messages = import('./locale.js').Messages;
  export const english: Messages;
  export const others: { code: string; name: string; load: () => Promise<{ default: Messages }> }[];
}

/** The strings of a view, by language. */
declare module '#locales/*' {
  export const locales: Record<string, import('./locale.js').Messages>;
}
