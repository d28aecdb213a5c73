/**
 * Whether a text is a url, by itself or as seen from `base`. `URL.canParse` of Node 20 says no to some once it is called often: what
 * has letters such as `ü` in it (its quick way takes bytes of Latin-1 for UTF-8).
 */
export function isUrl(text: string, base?: string): boolean {
  try {
    return new URL(text, base) instanceof URL
  } catch {
    return false
  }
}
