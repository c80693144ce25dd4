import { expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { examineTraces } from '../../src/doctor/examine.ts'
import { startCollector } from '../tracing/collector.ts'

const COMPLETE = {
  SLACK_SIGNING_SECRET: 'a-signing-secret',
  SLACK_BOT_TOKEN: 'xoxb-1',
  API_BASE_URL: 'https://api.example.com',
}

const examineWith = (OTEL_EXPORTER_OTLP_ENDPOINT: string) =>
  examineTraces(readConfig({ ...COMPLETE, OTEL_EXPORTER_OTLP_ENDPOINT }))

it('tests whether the collector accepts traces, and suggests a fix if not', async () => {
  await using collector = await startCollector()
  expect(await examineWith('')).toEqual([])
  expect(await examineWith(`${collector.url}/a-key`)).toEqual([
    { part: 'traces', state: 'ok', message: `The collector at ${collector.url} accepts traces.` },
  ])
  expect(collector.bodies).toHaveLength(1)
  collector.behave('refuse')
  const [refused] = await examineWith(`${collector.url}/a-key`)
  expect(refused).toMatchObject({ state: 'fault', message: expect.stringContaining('(status 400)') })
  expect(refused?.fix).toContain('OTEL_EXPORTER_OTLP_HEADERS')
  expect(JSON.stringify(refused)).not.toMatch(/a-key|planted/)
  collector.behave('hang')
  expect(await examineWith(collector.url)).toMatchObject([
    { state: 'fault', fix: expect.stringContaining('Start it') },
  ])
})

it('reports a collector that can’t be reached', async () => {
  expect(await examineWith('http://127.0.0.1:9')).toMatchObject([
    { part: 'traces', state: 'fault', message: expect.stringContaining('ECONNREFUSED') },
  ])
})
