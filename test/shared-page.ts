import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

/** Creates a folder for the playground's pages, which the first suite that opens a browser builds. Each rerun builds them again. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'pages-'))
  process.env.PLAYGROUND_PAGES = folder
  project.onTestsRerun(async () => {
    for (const page of ['page', 'served']) await rm(join(folder, page), { recursive: true, force: true })
  })
  return () => rm(folder, { recursive: true, force: true })
}
