/**
 * What a script finds around it, in the language of the sandbox: an expression that takes the one way out, `send`,
 * and answers the ways in. It guards nothing: a script that tampers with it harms itself alone, for all that
 * leaves is checked outside.
 */
export const PRELUDE = `(function (send) {
  'use strict'
  const { parse, stringify } = JSON
  const handlers = []
  const waiting = new Map()
  let calls = 0

  const jsonOf = (value, what) => {
    const text = stringify(value)
    if (text === undefined && value !== undefined) throw new TypeError(what + ' is a ' + typeof value + ', which is no JSON')
    return text
  }
  const textOf = (value) => {
    if (typeof value === 'string') return value
    if (value instanceof Error) return value.name + ': ' + value.message
    try { return stringify(value) ?? String(value) } catch { return typeof value }
  }
  const reasonOf = (error) => {
    if (typeof error === 'string') return error
    const message = error?.message
    return typeof message === 'string' ? message : textOf(error)
  }
  const log = Object.freeze(Object.fromEntries(
    ['info', 'warn', 'error'].map((level) => [level, (...parts) => send('log', level, parts.map(textOf).join(' '))]),
  ))
  const call = (run, action, input) => new Promise((resolve, reject) => {
    const id = ++calls
    send('call', run, id, String(action), jsonOf(input, 'the input of a call'))
    waiting.set(id, { resolve, reject })
  })

  const assertOptions = (options) => {
    const isKnown = options && Object.keys(options).join() === 'as' && typeof options.as === 'string' && options.as !== ''
    if (!isKnown) throw new TypeError("on(name, {as: '<username>'}, handler): the options name a user under 'as', and nothing else")
  }
  globalThis.on = (name, ...rest) => {
    const handler = rest.pop()
    if (typeof handler !== 'function') throw new TypeError('on(name, handler): the handler is no function')
    if (rest.length > 0) assertOptions(rest[0])
    send('on', name, rest[0]?.as)
    handlers.push(handler)
  }

  return {
    fault(error) {
      const isError = error instanceof Error
      send('fault', isError ? textOf(error) : textOf(error) + ' was thrown', isError ? error.stack : '')
    },
    async start(run, handler, event) {
      try {
        const tools = { call: (action, input) => call(run, action, input), log }
        send('settled', run, true, jsonOf(await handlers[handler](parse(event), tools), 'what the handler returned'))
      } catch (error) {
        send('settled', run, false, reasonOf(error))
      }
    },
    resume(id, ok, text) {
      const { resolve, reject } = waiting.get(id)
      waiting.delete(id)
      const result = parse(text)
      if (ok) resolve(result)
      else reject(Object.assign(new Error(result.message), result))
    },
  }
})`
