import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'

const MAIN = new URL('../src/main.ts', import.meta.url).pathname

function startProgram(...args: string[]) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, ...args])
  let text = ''
  const collect = (chunk: Buffer) => {
    text += chunk.toString()
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  return { child, text: () => text }
}

describe('npm run playground', () => {
  it('prints its URL, serves the page and the Web API, and exits with 0 on SIGTERM', async () => {
    const { child, text } = startProgram(
      '--port',
      '0',
      '--app-url',
      'http://127.0.0.1:9',
      '--signing-secret',
      's',
    )
    await once(child.stdout, 'data')
    expect(text().trim().split('\n')).toHaveLength(1)
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text())?.[0] ?? ''
    expect((await fetch(`${url}/api/api.test`)).status).toBe(200)
    const page = await fetch(url)
    expect(await page.text()).toMatch(page.status === 200 ? /<div id="root">/ : /npm run page/)
    expect((await fetch(`${url}/..%2fmain.ts`)).status).toBe(404)
    const second = startProgram('--port', new URL(url).port, '--app-url', url, '--signing-secret', 's')
    expect((await once(second.child, 'close'))[0]).toBe(1)
    expect(second.text()).toContain('That port is in use')
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it.each([
    { args: ['--app-url', 'here'], errorMessages: ['--app-url must be', '--signing-secret is missing'] },
    {
      args: ['--signing-secret', 's', '--manifest', 'nowhere.json'],
      errorMessages: ["The manifest nowhere.json doesn't exist"],
    },
    {
      args: ['--port', 'x', '--app-url', 'http://127.0.0.1:1', '--signing-secret', 's'],
      errorMessages: ['--port must be from 0 to 65535, not "x"'],
    },
    { args: ['--prot', '1'], errorMessages: ["Unknown option '--prot'"] },
  ])('reports invalid flags: $args', async ({ args, errorMessages }) => {
    const { child, text } = startProgram(...args)
    expect((await once(child, 'close'))[0]).toBe(1)
    for (const message of errorMessages) expect(text()).toContain(message)
    expect(text()).toContain('Usage: signalman-playground')
  })

  it('prints its version', async () => {
    const { child, text } = startProgram('--version')
    expect((await once(child, 'close'))[0]).toBe(0)
    expect(text()).toMatch(/^signalman-playground \d+\.\d+\.\d+\n$/)
  })
})
