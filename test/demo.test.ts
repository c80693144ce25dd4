import { createDriver } from '@signalman/playground/driver'
import { describe, expect, it } from 'vitest'
import { pressPanel } from './demo/demo-world.ts'
import { runFile } from './process.ts'

describe('npm run demo', () => {
  it('prints the help, and starts nothing', async () => {
    await using demo = runFile('packages/demo/src/main.ts', { args: ['--help'] })
    await demo.waitFor(/npm run demo starts Signalman[\s\S]*PORT=3200/)
    expect(await demo.ended).toBe(0)
  })

  it('rejects a port that isn’t one', async () => {
    await using demo = runFile('packages/demo/src/main.ts', { env: { PORT: '70000' } })
    await demo.waitFor(/isn’t a port\. Choose one: PORT=3200/)
    expect(await demo.ended).toBe(2)
  })

  it('prints the address of a page on which the story starts, and stops with a signal', async () => {
    // A proxy that isn't there: nothing here goes through one.
    const env = {
      HTTP_PROXY: 'http://127.0.0.1:9',
      HTTPS_PROXY: 'http://127.0.0.1:9',
      NODE_USE_ENV_PROXY: '1',
    }
    await using demo = runFile('packages/demo/src/main.ts', { env: { PORT: '0', ...env } })
    const [output, url = ''] = await demo.waitFor(/Open (http:\/\/127\.0\.0\.1:\d+)\n/)
    // Nothing is logged before the address.
    expect(output).not.toContain('"level"')
    const { panels } = await createDriver(url).member.state()
    expect(panels).toEqual([{ name: 'Start here', firstVisitChannel: 'C0OPERATNS' }])
    const { statusText } = await pressPanel(url, createDriver(url).member, 'break')
    expect(statusText).toContain('has stopped')
    demo.child.kill('SIGTERM')
    expect(await demo.ended).toBe(0)
  })
})
