import { readText } from '@signalman/playground/driver'
import { describe, expect, it } from 'vitest'
import { operatorVerb } from '../../src/cli/operator-verb.ts'
import { cmd, setCommandPrefix } from '../../src/domain/command-names.ts'
import { listFiles, readSource } from '../source-files.ts'
import { startWorld } from '../world.ts'

describe('command names', () => {
  it('have the deployment’s prefix', () => {
    expect(cmd('/hc list')).toBe('/hc list')
    using _ = setCommandPrefix('x-')
    expect(['/hc', '/hc list', '/threat ID', '/cert-order'].map(cmd)).toEqual([
      '/x-hc',
      '/x-hc list',
      '/x-threat ID',
      '/x-cert-order',
    ])
    // Lines that don't start with one of the app's commands don't change.
    expect(['/hcx', '/hc/list', '/x-hc', 'web /hc', '--flag'].map(cmd)).toEqual([
      '/hcx',
      '/hc/list',
      '/x-hc',
      'web /hc',
      '--flag',
    ])
  })

  it('are built with `cmd` in the CLI and the doctor', () => {
    const linesWithoutCmd = ['src/cli', 'src/doctor'].flatMap(listFiles).flatMap((path) =>
      readSource(path)
        .replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|(?:cmd|tellCommand)\('[^']*'/g, '')
        .split('\n')
        .filter((line) => /(?<![\w/.:=-])\/(?:hc|threat|cert-order)(?![\w/-]|\.\w)/.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    )
    expect(linesWithoutCmd).toEqual([])
  })

  it('have the configured prefix in CLI output', async () => {
    const printed: string[] = []
    const verb = operatorVerb({
      help: '',
      flags: {},
      async run() {
        printed.push(cmd('/hc'))
        return 0
      },
    })
    await verb.run([], { COMMAND_PREFIX: 'x-' })
    await verb.run([], {})
    expect(printed).toEqual(['/x-hc', '/hc'])
  })

  it('lose their prefix when the app stops', () => {
    setCommandPrefix('x-')[Symbol.dispose]()
    expect(cmd('/hc')).toBe('/hc')
  })

  it('get no prefix in text that people entered', async () => {
    const name = 'bot /hc answers, see /threat'
    await using world = await startWorld({
      checks: [{ name, alerts: [['a@example.com']] }],
      environment: { COMMAND_PREFIX: 'x-' },
    })
    const { member } = world.slack
    const texts: string[] = []
    for (const line of [
      '',
      'list',
      `show "${name}"`,
      `watch "${name}"`,
      'watches',
      `delete "${name}"`,
      'edit bot* --frequency 30',
    ]) {
      const { text, view } = await member.command('/hc', line)
      texts.push(`${text} ${readText(view)}`)
    }
    texts.push((await member.openHome()).text)
    expect(texts.filter((text) => /bot \/x-hc|see \/x-threat/.test(text))).toEqual([])
    expect(texts.filter((text) => text.includes(name)).length).toBeGreaterThan(5)
    expect((await member.command('/hc', 'lits')).text).toContain('/x-hc list')
    expect((await member.command('/threat', 'export')).text).toContain('/x-threat export')
  })
})
