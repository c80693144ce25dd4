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
    const manifest = new URL('optional-manifest.yml', import.meta.url).pathname
    const { child, text } = startProgram(
      ...['--port', '0', '--app-url', 'http://127.0.0.1:9', '--signing-secret', 's', '--manifest', manifest],
    )
    await once(child.stdout, 'data')
    expect(text().trim().split('\n')).toHaveLength(1)
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text())?.[0] ?? ''
    expect((await fetch(`${url}/api/auth.test`)).status).toBe(200)
    const state = await (await fetch(`${url}/_playground/state`)).json()
    expect(state).toMatchObject({ commands: [] })
    const page = await fetch(url)
    expect(await page.text()).toMatch(page.status === 200 ? /<div id="root">/ : /npm run page/)
    expect((await fetch(`${url}/..%2fmain.ts`)).status).toBe(404)
    const second = startProgram('--port', new URL(url).port, '--app-url', url, '--signing-secret', 's')
    expect((await once(second.child, 'close'))[0]).toBe(1)
    expect(second.text()).toContain('That port is in use')
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it('reports all invalid flags and its usage, and exits with 1', async () => {
    const { child, text } = startProgram('--app-url', 'here', '--port', 'x')
    expect((await once(child, 'close'))[0]).toBe(1)
    for (const message of [
      '--app-url must be',
      '--port must be from 0 to 65535, not "x"',
      '--signing-secret is missing',
      'Usage: npm run playground -- ',
    ])
      expect(text()).toContain(message)
  })
})
