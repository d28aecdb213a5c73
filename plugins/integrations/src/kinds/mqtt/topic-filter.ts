/** Whether a text is a filter of topics (MQTT 5.0, section 4.7): a wildcard is a whole level, and `#` the last one. */
export function isTopicFilter(text: string): boolean {
  if (text.includes('\0') || Buffer.byteLength(text) > 65_535) return false
  const levels = text.split('/')
  return levels.every(
    (level, at) => !/[+#]/.test(level) || level === '+' || (level === '#' && at === levels.length - 1),
  )
}
