import { definePlugin } from '@svc/kernel'
import { config } from './config.ts'
import { listen } from './listen.ts'
import { serveConnection } from './connection.ts'

/** A Unix socket on which the owner of the process asks for its state and stops it. */
export const management = definePlugin({
  name: 'management',
  phase: 'transport',
  config,
  setup({ config: { socket }, actions, host, log, onOpen }) {
    if (socket === undefined) return log.debug({}, 'management.off')
    onOpen(() => listen(socket, serveConnection({ actions, host, log }), log))
  },
})
