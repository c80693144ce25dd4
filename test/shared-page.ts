import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

/** Creates a folder in which the processes note that the playground's page is built. The first suite with a browser builds it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'page-build-'))
  process.env.PLAYGROUND_PAGE_BUILD = folder
  // Each rerun builds the page again.
  project.onTestsRerun(async () => {
    for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true })
  })
  return () => rm(folder, { recursive: true, force: true })
}
