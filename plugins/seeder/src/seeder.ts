import { StartupError } from '@svc/kernel'
import type { z } from 'zod'
import type { config } from './config.ts'
import type { Seeder } from './contract.ts'
import type { Tools } from './phases/run.ts'
import { runManifest } from './run.ts'

/** Makes the service that applies the configured manifest. */
export function createSeeder({ enabled, seed_file }: z.output<typeof config>, tools: Tools): Seeder {
  return {
    async run() {
      if (!enabled) throw new StartupError('seeder', 'is switched off', "Set 'seeder.enabled' to true")
      if (seed_file === undefined) {
        throw new StartupError('seeder', 'has no manifest', "Name one in 'seeder.seed_file'")
      }
      return runManifest(seed_file, tools)
    },
  }
}
