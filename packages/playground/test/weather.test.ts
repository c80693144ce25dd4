import { describe, expect, it } from 'vitest'
import type { WeatherReport } from '../src/protocol.ts'
import type { WeatherSource } from '../src/start.ts'
import { startWorld, type World } from './app.ts'

function service(): WeatherSource & { played: string[] } {
  const played: string[] = []
  const storm = {
    id: 'storm',
    title: 'Storm',
    text: 'All is lost.',
    async play() {
      played.push('storm')
      return 'It is raging.'
    },
  }
  const broken = { ...storm, id: 'broken', play: () => Promise.reject(new Error('no clouds')) }
  const requests = async () =>
    Array.from({ length: 70 }, (_, nth) => ({
      at: '2026-11-20T12:00:00Z',
      method: 'GET',
      path: `/${nth}`,
      status: 200,
    }))
  return { name: 'The sky', patterns: [storm, broken], requests, played }
}

async function ask(world: World, id?: string): Promise<unknown> {
  const response = await fetch(`${world.playground.url}/_playground/weather`, {
    ...(id !== undefined && {
      method: 'POST',
      headers: { 'x-playground': '1', 'content-type': 'application/json' },
      body: JSON.stringify({ id }),
    }),
  })
  return response.json()
}

describe('the weather', () => {
  it('limits the app’s calls to Slack for a while, until it is calm', async () => {
    await using world = await startWorld()
    expect(await ask(world, 'slack-limit')).toMatchObject({ ok: true })
    expect(await world.api('auth.test')).toMatchObject({ status: 429, retryAfter: '2' })
    expect(await ask(world, 'calm')).toMatchObject({ ok: true })
    expect(await world.api('auth.test')).toMatchObject({ status: 200, ok: true })
  })

  it('is also of the service behind the app, with what was asked of it last', async () => {
    const weather = service()
    await using world = await startWorld(undefined, { weather })
    // The report's own shape.
    const { sources, requests } = (await ask(world)) as WeatherReport
    expect(sources.map(({ name }) => name)).toEqual(['The sky', 'Slack'])
    expect(requests.map(({ path }) => path)).toEqual(Array.from({ length: 60 }, (_, nth) => `/${nth + 10}`))
    expect(await ask(world, 'storm')).toEqual({ ok: true, text: 'It is raging.' })
    expect(weather.played).toEqual(['storm'])
  })

  it.each([
    { id: 'hail', error: 'no_such_weather' },
    { id: 'broken', error: 'weather_failed' },
  ])('refuses $id with $error', async ({ id, error }) => {
    await using world = await startWorld(undefined, { weather: service() })
    expect(await ask(world, id)).toMatchObject({ ok: false, error })
  })
})
