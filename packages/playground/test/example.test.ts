import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

const PACKAGE = join(import.meta.dirname, '..')
const EXAMPLE = join(PACKAGE, 'example')

it('can test another app in ten lines, as in the README', () => {
  const test = readFileSync(join(EXAMPLE, 'app.test.js'), 'utf8')
  expect(readFileSync(join(PACKAGE, 'README.md'), 'utf8')).toContain(`// app.test.js\n${test}\``)
  const { status, stdout } = spawnSync(process.execPath, ['--test'], {
    cwd: EXAMPLE,
    // The example's `node` is the one that runs this test.
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
    encoding: 'utf8',
  })
  expect([status, stdout]).toEqual([0, expect.stringMatching(/pass 1$/m)])
})
