import type { Redaction } from '@svc/kernel'

const QUIET = new Set(['time', 'level', 'msg', 'plugin', 'err', 'stack'])

/** One JSON log line as a line for people: time, level, event, fields; a stack trace follows indented. */
export function textLine(json: string, redaction: Pick<Redaction, 'json'>): string {
  const event = redaction.json(JSON.parse(json) as Record<string, unknown>)
  const { time, level, msg, plugin, err } = event
  const fields = Object.entries(event)
    .filter(([key]) => !QUIET.has(key))
    .map(([key, value]) => ` ${key}=${shown(value)}`)
  const origin = plugin === undefined ? '' : ` [${String(plugin)}]`
  return `${String(time)} ${String(level).toUpperCase().padEnd(5)}${origin} ${String(msg ?? '')}${fields.join('')}${trace(err)}\n`
}

function shown(value: unknown): string {
  return typeof value === 'string' && /^[\w./:@-]+$/.test(value) ? value : JSON.stringify(value)
}

function trace(err: unknown): string {
  if (typeof err !== 'object' || err === null) return ''
  const { stack, message } = err as { stack?: unknown; message?: unknown }
  return `\n    ${String(stack ?? message).replaceAll('\n', '\n    ')}`
}
