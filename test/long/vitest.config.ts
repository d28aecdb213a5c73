import { defineConfig } from 'vitest/config'
import base from '../../vitest.config.ts'

// The programs that the test run only takes a sip of, whole.
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: [
      'test/long/**/*.test.ts',
      'test/faults/**/*.test.ts',
      'test/acceptance/laws/**/*.test.ts',
      'test/acceptance/proofs/**/*.test.ts',
      'plugins/domain/src/migrate/migrate.test.ts',
      'plugins/expression/src/sql/sql.test.ts',
      'plugins/render/src/formats/docx/docx.test.ts',
      'plugins/render/src/formats/pdf/pdf.test.ts',
      'plugins/render/src/formats/values.test.ts',
      'plugins/automation/src/recurrence/search.test.ts',
      'plugins/svg/src/clean.test.ts',
      'plugins/expression/src/sql/reach.test.ts',
      'plugins/workflows/src/waits/find.test.ts',
      'plugins/jobs/src/load.test.ts',
      'plugins/store/src/aggregate.test.ts',
      'test/acceptance/events/interleavings.test.ts',
      'test/acceptance/files/streams.test.ts',
      'test/acceptance/live/positions.test.ts',
      'test/acceptance/privacy/canaries.test.ts',
      'test/acceptance/privacy/followed-races.test.ts',
      'test/acceptance/privacy/left-out.test.ts',
      'test/acceptance/reach/cost.test.ts',
      'test/acceptance/schedules/servers.test.ts',
      'test/acceptance/fields/spatial-differential.test.ts',
      'test/acceptance/media/references.test.ts',
      'test/acceptance/localization/round-trip.test.ts',
    ],
    exclude: ['**/node_modules/**', '**/dist/**'],
    env: { ...base.test?.env, TEST_LONG: '1' },
    testTimeout: 600_000,
  },
})
