import { join } from 'node:path'
import { build } from 'vite'

/** Builds the playground's page, as `npm run page` does. */
export async function buildPage(): Promise<void> {
  await build({ root: join(import.meta.dirname, '../src/playground/web'), logLevel: 'warn' })
}
