import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { findNotes, releaseVersion } from '../bin/changelog.ts'
import { makeFolder } from './databases/databases.ts'
import { ROOT, readSource } from './source-files.ts'

const execute = promisify(execFile)

const CHANGELOG = `# Changelog

## Unreleased

### Added

- A new thing, of ## all things.

## 0.2.0 (2026-12-01)

- The second.

## 0.1.0 (2026-11-01)

- The first.
`

describe('the changelog', () => {
  it.each([
    { version: '0.2.0', notes: '- The second.' },
    { version: '0.1.0', notes: '- The first.' },
    { version: 'Unreleased', notes: '### Added\n\n- A new thing, of ## all things.' },
  ])('has the notes of $version', ({ version, notes }) => {
    expect(findNotes(CHANGELOG, version)).toBe(notes)
  })

  it('fails for a version without notes', () => {
    expect(() => findNotes(CHANGELOG, '0.3.0')).toThrow('CHANGELOG.md has no notes for 0.3.0.')
    expect(() => findNotes(releaseVersion(CHANGELOG, '0.3.0', '2027-01-01'), 'Unreleased')).toThrow(
      'CHANGELOG.md has no notes for Unreleased.',
    )
  })

  it('moves the unreleased notes to a version, and only once', () => {
    const released = releaseVersion(CHANGELOG, '0.3.0', '2027-01-01')
    expect(released).toContain('\n## Unreleased\n\n## 0.3.0 (2027-01-01)\n\n### Added\n')
    expect(findNotes(released, '0.3.0')).toBe(findNotes(CHANGELOG, 'Unreleased'))
    expect(() => releaseVersion(released, '0.3.0', '2027-01-02')).toThrow('already')
    expect(() => releaseVersion(CHANGELOG, 'three', '2027-01-02')).toThrow('isn’t a version')
  })

  it('has notes for this version in this repository', () => {
    const { version } = JSON.parse(readSource('package.json'))
    expect(findNotes(readSource('CHANGELOG.md'), version).length).toBeGreaterThan(100)
  })
})

describe('a release', () => {
  const release = (args: string[], folder: string, env: Record<string, string> = {}) =>
    execute(join(ROOT, 'bin/release.sh'), args, {
      env: { PATH: process.env.PATH, RELEASE_FOLDER: folder, ...env },
    })

  it('has a dry run that publishes nothing', async () => {
    using folder = makeFolder()
    const { stdout } = await release(['--dry-run', 'versions', 'notes', 'publish'], folder.path)
    expect(stdout).toMatch(/== versions\n== notes\n[\s\S]+== publish\nwould run: npm publish/)
    expect(readFileSync(join(folder.path, 'notes.md'), 'utf8').length).toBeGreaterThan(100)
  })

  it('is refused if the tag doesn’t match the version or a step is unknown', async () => {
    using folder = makeFolder()
    const tagged = release(['versions'], folder.path, { GITHUB_REF_NAME: 'v99.0.0' })
    await expect(tagged).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The tag is v99.0.0'),
    })
    await expect(release(['everything'], folder.path)).rejects.toMatchObject({ code: 2 })
  })

  it('runs every step of the workflow, and publishes last', () => {
    const { jobs } = parse(readSource('.github/workflows/release.yml')) as {
      jobs: Record<
        string,
        { needs?: string[]; steps: { run?: string }[]; permissions?: Record<string, string> }
      >
    }
    const listSteps = (job: string) =>
      jobs[job]?.steps.flatMap(
        ({ run = '' }) => /bin\/release\.sh ([a-z ]+)/.exec(run)?.[1]?.trim().split(' ') ?? [],
      )
    const steps = [...(/"\$\{@:-([a-z ]+)\}"/.exec(readSource('bin/release.sh'))?.[1]?.split(' ') ?? [])]
    expect(Object.keys(jobs).flatMap(listSteps).toSorted()).toEqual(steps.toSorted())
    expect(listSteps('publish')).toEqual(['publish'])
    expect(jobs.publish?.needs?.toSorted()).toEqual(
      Object.keys(jobs)
        .filter((job) => job !== 'publish')
        .toSorted(),
    )
    for (const [job, { permissions }] of Object.entries(jobs))
      expect(permissions?.contents === 'write', job).toBe(job === 'publish')
    expect(existsSync(join(ROOT, 'bin/release.sh'))).toBe(true)
  })
})
