import { definePlugin } from '@svc/kernel'
import { assertClaimable } from './claim-path.ts'
import { config } from './config.ts'
import { serveConnection } from './connection.ts'
import { ManagementCapability } from './contract.ts'
import { createCommands } from './commands/index.ts'
import { listen, listenIfPossible } from './listen.ts'
import { socketPlace } from './place.ts'

/** A Unix socket on which the owner of the process asks for its state, changes it and stops it. */
export const management = definePlugin({
  name: 'management',
  phase: 'transport',
  config,
  provides: ManagementCapability,
  async check({ config: { socket }, host }) {
    const place = socketPlace(socket, host.dataFolder)
    if (place?.isChosen) await assertClaimable(place.path)
  },
  setup({ config: { socket }, actions, host, log, onOpen }) {
    const commands = createCommands()
    const place = socketPlace(socket, host.dataFolder)
    const serve = serveConnection({ actions, host, log }, commands.list)
    if (place === undefined) log.debug({}, 'management.off')
    else
      onOpen(() =>
        place.isChosen ? listen(place.path, serve, log) : listenIfPossible(place.path, serve, log),
      )
    return commands
  },
})
