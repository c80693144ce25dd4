import { readText } from '@signalman/playground/driver'
import { describe, expect, it } from 'vitest'
import type { Verb } from '../../src/bot/routes/routes.ts'
import { operatorVerb } from '../../src/cli/verbs.ts'
import { cmd, setCommandPrefix } from '../../src/domain/command-names.ts'
import { createToolBox } from '../../src/integrations/slackbot/tools.ts'
import { listFiles, readSource } from '../source-files.ts'
import { startWorld } from '../world.ts'

describe('command names', () => {
  it('have the prefix of the deployment', () => {
    expect(cmd('/hc list')).toBe('/hc list')
    using _ = setCommandPrefix('x-')
    expect(['/hc', '/hc list', '/threat ID', '/cert-order'].map(cmd)).toEqual([
      '/x-hc',
      '/x-hc list',
      '/x-threat ID',
      '/x-cert-order',
    ])
    // Lines that don't start with a command of ours don't change.
    expect(['/hcx', '/hc/list', '/x-hc', 'web /hc', '--flag'].map(cmd)).toEqual([
      '/hcx',
      '/hc/list',
      '/x-hc',
      'web /hc',
      '--flag',
    ])
  })

  it('use `cmd` in the program, the doctor, and the tools for Slackbot', () => {
    const unnamed = ['src/cli', 'src/doctor', 'src/integrations/slackbot']
      .flatMap(listFiles)
      .flatMap((path) =>
        readSource(path)
          .replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|cmd\('[^']*'\)/g, '')
          .split('\n')
          .filter((line) => /(?<![\w/.:=-])\/(?:hc|threat|cert-order)(?![\w/-]|\.\w)/.test(line))
          .map((line) => `${path}: ${line.trim()}`),
      )
    expect(unnamed).toEqual([])
  })

  it('include the configured prefix in the program’s output and in the descriptions of Slackbot’s tools', async () => {
    const printed: string[] = []
    const verb = operatorVerb({
      ...{ help: '', flags: {} },
      async run() {
        printed.push(cmd('/hc'))
        return 0
      },
    })
    await verb.run([], { COMMAND_PREFIX: 'x-' })
    await verb.run([], {})
    expect(printed).toEqual(['/x-hc', '/hc'])
    using _ = setCommandPrefix('x-')
    const show: Verb = {
      ...{ command: 'hc', verb: 'show', usage: 'show NAME', does: 'Show a check', needs: 'viewer' },
      run: () => Promise.reject(new Error('Nothing is run here.')),
    }
    const [tool, run] = createToolBox([show]).tools
    expect([tool?.title, run?.description]).toEqual(['/x-hc show', expect.stringContaining('"/x-hc mute')])
  })

  it('are released when the app stops', () => {
    setCommandPrefix('x-')[Symbol.dispose]()
    expect(cmd('/hc')).toBe('/hc')
  })

  it('don’t change in text from other people', async () => {
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
    expect((await member.command('/hc', 'lits')).text).toContain('“/x-hc list”')
  })
})
