import { accessSync, constants, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** Where Linux keeps files in memory. */
const IN_MEMORY = '/dev/shm'
/** Far more than the databases of a test run take together, in bytes. */
const ROOM = 4 * 2 ** 30

/**
 * Where databases and files stand that are gone with their test: in memory where there is room, since nobody asks whether
 * they survive a loss of power, and each database of PostgreSQL is some thousand files that are made and removed.
 */
export const scratchFolder = hasRoom() ? IN_MEMORY : tmpdir()

function hasRoom(): boolean {
  try {
    accessSync(IN_MEMORY, constants.W_OK)
    const { bavail, bsize } = statfsSync(IN_MEMORY)
    return bavail * bsize > ROOM
  } catch {
    return false
  }
}
