import { fileURLToPath } from 'node:url'
import { bundle } from '../../apps/setup/bundle.mjs'

/** Before the first test: the program that tests start is bundled from the sources as they are now. */
export const setup = (): Promise<void> => bundle(fileURLToPath(new URL('../..', import.meta.url)))
