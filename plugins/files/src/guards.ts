/** Sent with every file: whatever it is, it is no page of this server. */
export const GUARDS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
}
