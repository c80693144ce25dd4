import { startSandbox } from '@signalman/sandbox'
import { describe, expect, it } from 'vitest'
import { sandboxWeather } from '../../src/demo/weather.ts'

describe('the demo’s weather', () => {
  it('kills a check and revives it, and shows what the service was asked', async () => {
    await using sandbox = await startSandbox({ checking: false })
    const weather = sandboxWeather(sandbox)
    const play = (id: string) => weather.patterns.find((one) => one.id === id)?.play()
    expect(await play('revive-check')).toBe('None was killed here.')
    const killed = await play('kill-check')
    const [, name = ''] = /“(.+)” is down/.exec(killed ?? '') ?? []
    expect(name).not.toBe('')
    expect(await play('revive-check')).toBe(`“${name}” is up again.`)
    expect(await play('storm')).toBe('8 health checks are down.')
    expect(await play('revive-check')).toBe('8 health checks are up again.')
    const paths = (await weather.requests()).map(({ method, path }) => `${method} ${path.split('?')[0]}`)
    expect(paths).toEqual(Array.from({ length: 2 }, () => 'GET /healthcheck/v1/healthchecks'))
  })

  it('loses one reply of an order, and no other request', async () => {
    await using sandbox = await startSandbox({ checking: false })
    const weather = sandboxWeather(sandbox)
    await weather.patterns.find(({ id }) => id === 'lose-order')?.play()
    const headers = { authorization: `Bearer ${sandbox.token}`, 'content-type': 'application/json' }
    const order = () =>
      fetch(`${sandbox.productionUrl}/ssl/v2/orders`, { method: 'POST', headers, body: '{}' })
    expect((await fetch(`${sandbox.productionUrl}/healthcheck/v1/healthchecks`, { headers })).status).toBe(
      200,
    )
    await expect(order()).rejects.toThrow()
    expect((await order()).status).toBe(400)
    expect((await weather.requests()).map(({ fault }) => fault)).toEqual([undefined, 'drop-reply', undefined])
  })
})
