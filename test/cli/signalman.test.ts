import { describe, expect, it } from 'vitest'
import { VERBS } from '../../src/cli/verbs.ts'
import { signalman } from '../command-line.ts'

describe('signalman', () => {
  it('lists every verb with --help', async () => {
    const { code, stdout } = await signalman(['--help'])
    expect(code).toBe(0)
    const lines = stdout.split('\n').map((line) => line.trim().replace(/ {2,}/, ' '))
    for (const { name, description } of VERBS) expect(lines).toContain(`${name} ${description}`)
  })

  it('lists every verb if run without arguments, and exits with the usage error code', async () => {
    expect(await signalman([])).toMatchObject({ code: 2, stdout: expect.stringContaining('rotate-keys') })
  })

  it.each([
    {
      args: ['frobnicate'],
      message: /^signalman has no verb "frobnicate"\.\n\nUsage: signalman VERB\n\n {2}init /,
    },
    { args: ['erase-workspace', '--loud'], message: /--loud/ },
    { args: ['serve', 'now'], message: /now/ },
  ])('suggests an existing verb instead of $args', async ({ args, message }) => {
    const { code, stdout, stderr } = await signalman(args)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toMatch(message)
    expect(stderr).not.toContain('    at ')
  })

  it.each(VERBS)('has a description of $name', async ({ description, load }) => {
    const { help } = await load()
    expect(help.trim().length).toBeGreaterThan(description.length)
    expect(help).not.toMatch(/^.{131}/m)
  })

  it.each(VERBS)('lists the flags of $name', async ({ usage, load }) => {
    const { flags } = await load()
    const documented = usage.match(/(?<=--)[a-z-]+/g) ?? []
    expect([...new Set(documented)].toSorted()).toEqual(Object.keys(flags).toSorted())
  })

  it('prints the help of a verb without running it', async () => {
    const { stdout, ...ended } = await signalman(['erase-workspace', '--help'])
    expect(ended).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^signalman erase-workspace ID --yes: .*\n\n.*every row/)
  })
})
