import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

/** The first test that starts a program in its own process bundles it, once per run and again for each rerun. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (process.env.TEST_PROGRAMS !== undefined) return undefined
  const folder = await mkdtemp(join(tmpdir(), 'programs-'))
  process.env.TEST_PROGRAMS = folder
  project.onTestsRerun(async () => {
    for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true })
  })
  return () => rm(folder, { recursive: true, force: true })
}
