import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Packages are tested from their sources: no build stands between an edit and its test. `import` is added
// where it belongs; naming it here would hand ES modules to `require` too.
const conditions = ['source', 'node']

/**
 * Those that wait for brokers, leases and killed servers stand among the others from the beginning: the processors have something
 * to do while one of them waits, and none is left alone at the end.
 */
class WaitingAmongOthers extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const waits = ({ moduleId }: TestSpecification) => /\/test\/(faults|docs)\//.test(moduleId)
    const others = sorted.filter((file) => !waits(file))
    // Of three workers one has a file that waits, for most of a run.
    return [...sorted.filter(waits).flatMap((file) => [file, ...others.splice(0, 4)]), ...others]
  }
}

export default defineConfig({
  // Passwords are hashed by the hundred, and nobody attacks them.
  resolve: {
    conditions,
    alias: { '@node-rs/argon2': fileURLToPath(new URL('test/kit/argon2.ts', import.meta.url)) },
  },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: [
      'kernel/src/**/*.test.ts',
      'plugins/*/src/**/*.test.ts',
      'apps/*/src/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    // `npm run test:long` has these, and more of some of the others.
    exclude: ['**/node_modules/**', '**/dist/**', 'test/long/**'],
    globalSetup: ['test/kit/postgres.ts', 'test/kit/program.ts'],
    // The example encrypts: its keys are those of the test run.
    env: { SVC_DOMAIN_WORKSHOP_KEYS: `tests:${Buffer.alloc(32, 9).toString('base64')}` },
    // On a machine that others use, what takes a second may take ten: only what hangs is to fail by the clock.
    testTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 60_000,
    // Tests wait for PostgreSQL, for leases, for servers that start: with two at work, two cores have nothing to do at times.
    maxWorkers: 3,
    // Most of what a test makes is gone with it: with room for that its garbage is not kept and sorted among the old.
    execArgv: ['--max-semi-space-size=64'],
    // Half of a run would be spent on loading the same sources again for each file: files leave nothing behind.
    isolate: false,
    sequence: { sequencer: WaitingAmongOthers },
  },
})
