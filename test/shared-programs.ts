import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

/** Creates a folder for bundled programs. The first test that runs a program bundles it. Each rerun bundles it again. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'programs-'))
  process.env.TEST_PROGRAMS = folder
  project.onTestsRerun(async () => {
    for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true })
  })
  return () => rm(folder, { recursive: true, force: true })
}
