import type { Config } from 'drizzle-kit'

export default {
  dialect: 'sqlite',
  schema: [
    './src/storage/schema.ts',
    './src/storage/collections/collection-schema.ts',
    './src/storage/folders/capture-link-schema.ts',
    './src/storage/telemetry/telemetry-schema.ts',
    './src/storage/statistics/statistics-schema.ts',
    './src/storage/reports/report-schema.ts',
    './src/storage/webhooks/webhook-schema.ts',
  ],
  out: './drizzle',
} satisfies Config
