import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          maxWorkers: '100%',
          sequence: { groupOrder: 0 },
          include: ['test/unit/**/*.test.ts', 'test/golden/**/*.test.ts', 'test/structure.test.ts'],
          globalSetup: 'test/fixtures/ensure-models.ts',
          // Against tests that hang; clips of a hundred kinds take 20 s where two tests share two cores.
          testTimeout: 90_000,
          hookTimeout: 90_000,
        },
      },
      {
        test: {
          name: 'http',
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          include: ['test/http/**/*.test.ts', 'test/contract/**/*.test.ts'],
          globalSetup: 'test/fixtures/serve.ts',
          // Against tests that hang; a server of its own takes 30 s to start where four suites share two cores.
          testTimeout: 90_000,
          hookTimeout: 90_000,
        },
      },
      {
        test: {
          name: 'browser',
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
          include: ['test/browser/**/*.test.ts'],
          globalSetup: 'test/fixtures/serve.ts',
          // Against tests that hang; a page takes many times as long where four suites share two cores.
          testTimeout: 150_000,
          hookTimeout: 90_000,
        },
      },
      {
        test: {
          name: 'clients',
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
          include: ['test/clients/**/*.test.ts'],
          globalSetup: 'test/fixtures/serve-clients.ts',
          testTimeout: 90_000,
          hookTimeout: 90_000,
        },
      },
    ],
  },
})
