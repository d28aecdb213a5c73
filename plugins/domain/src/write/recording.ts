import type { Call, Warnings } from '@svc/kernel'

/** The same call, whose warnings are written down too. */
export const recording = (call: Call, warnings: Warnings): Call => ({
  caller: call.caller,
  body: call.body,
  call: call.call,
  request: call.request,
  attribute: (username) => call.attribute(username),
  requestId: call.requestId,
  depth: call.depth,
  get signal() {
    return call.signal
  },
  warn(warning) {
    warnings.add(warning)
    call.warn(warning)
  },
})
