import type { Call, Warning } from '@svc/kernel'

/** The same call, whose warnings are written down too. */
export const noting = (call: Call, warnings: Warning[]): Call => ({
  caller: call.caller,
  call: call.call,
  request: call.request,
  attribute: (username) => call.attribute(username),
  requestId: call.requestId,
  get signal() {
    return call.signal
  },
  warn(warning) {
    warnings.push(warning)
    call.warn(warning)
  },
})
