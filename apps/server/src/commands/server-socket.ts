import { resolve } from 'node:path'
import { StartupError } from '@svc/kernel'
import { socketPlace } from '@svc/management/contract'
import { type Configuration, USUAL_CONFIG } from '../configuration.ts'
import { dataFolder } from '../data-folder.ts'

/** The option of commands that ask the server that runs. */
export const RUNNING_CONFIG = {
  takes: '<config.json>',
  about: `The configuration that the server was started with; '${USUAL_CONFIG}' unless said`,
} as const

/** The management socket of the server that was started with a configuration. Throws a StartupError where it has none. */
export function socketOf(configuration: Configuration): string {
  const socket: unknown = Object(configuration.sections['management'])['socket']
  const isKnown = typeof socket === 'string' || socket === false
  const place = socketPlace(isKnown ? socket : undefined, dataFolder(configuration))
  if (place !== undefined) return resolve(configuration.folder, place.path)
  throw new StartupError(
    'management',
    `${configuration.path} has no socket`,
    "Set 'management.socket' to a path",
  )
}
