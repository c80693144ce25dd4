import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

/** The first suite that opens a browser builds the playground's pages, once per run and again for each rerun. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'pages-'))
  process.env.PLAYGROUND_PAGES = folder
  project.onTestsRerun(async () => {
    for (const page of ['page', 'served']) await rm(join(folder, page), { recursive: true, force: true })
  })
  return () => rm(folder, { recursive: true, force: true })
}
