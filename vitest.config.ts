import { defineConfig } from 'vitest/config'

/** Tests that replace modules, or register an SDK. */
const alone = 'test/unit/**/*.alone.test.ts'
const unit = {
  globalSetup: 'test/fixtures/ensure-models.ts',
  // Against tests that hang; clips of a hundred kinds take a minute where four suites share two cores.
  testTimeout: 480_000,
  hookTimeout: 480_000,
}
/** What servers and pages do soon, a busy machine does late. */
const patient = { poll: { timeout: 20_000 } }
/** Files share a process and its modules: to load them for each anew would take a third of the time of all tests. */
const shared = { isolate: false }

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...unit,
          ...shared,
          name: 'unit',
          maxWorkers: '100%',
          sequence: { groupOrder: 0 },
          include: ['test/unit/**/*.test.ts', 'test/golden/**/*.test.ts', 'test/structure.test.ts'],
          exclude: [alone],
        },
      },
      {
        test: {
          ...unit,
          name: 'unit-alone',
          maxWorkers: '100%',
          sequence: { groupOrder: 0 },
          include: [alone],
        },
      },
      {
        test: {
          ...shared,
          name: 'http',
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          include: ['test/http/**/*.test.ts', 'test/contract/**/*.test.ts'],
          globalSetup: 'test/fixtures/serve.ts',
          // Against tests that hang; a server of its own takes 30 s to start where four suites share two cores, a test of passwords 90 s.
          testTimeout: 240_000,
          hookTimeout: 240_000,
          expect: patient,
        },
      },
      {
        test: {
          ...shared,
          name: 'browser',
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
          include: ['test/browser/**/*.test.ts'],
          globalSetup: 'test/fixtures/serve.ts',
          // Against tests that hang; a page takes many times as long where four suites share two cores.
          testTimeout: 400_000,
          hookTimeout: 240_000,
          expect: patient,
        },
      },
      {
        test: {
          ...shared,
          name: 'clients',
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
          include: ['test/clients/**/*.test.ts'],
          globalSetup: 'test/fixtures/serve-clients.ts',
          testTimeout: 240_000,
          hookTimeout: 240_000,
          expect: patient,
        },
      },
    ],
  },
})
