import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const README = readFileSync(join(import.meta.dirname, '..', 'README.md'), 'utf8')
const EXAMPLE = join(import.meta.dirname, 'example.ts')

it('runs the example, which prints what the README says', async () => {
  const [, printed] = /It prints `([^`]+)`/.exec(README) ?? []
  const folder = mkdtempSync(join(tmpdir(), 'durable-example-'))
  try {
    const url = `sqlite:${join(folder, 'parcels.db')}`
    const { stdout } = await promisify(execFile)(process.execPath, [EXAMPLE, url])
    expect(stdout.trim()).toBe(printed)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
