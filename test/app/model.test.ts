import type { Setting } from '@signalman/durable'
import { expect, it } from 'vitest'
import { FEATURES } from '../../src/app/features.ts'
import type { Feature } from '../../src/bot/feature.ts'
import { listFiles, readSource } from '../source-files.ts'

const isSetting = (value: unknown): value is Setting<unknown> =>
  typeof value === 'object' && value !== null && 'key' in value && 'read' in value

const filesWithSettings = listFiles('src/features').filter((file) =>
  /(?:: Setting<|\bownSetting[<(])/.test(readSource(file)),
)

it.each(filesWithSettings)('declares every setting of %s in its feature', async (file) => {
  const settings = Object.values(await import(`../../${file}`)).filter(isSetting)
  const feature = FEATURES.find(({ name }) => name === file.split('/')[2])
  const declared = (feature as Feature | undefined)?.settings ?? []
  expect(declared.map(({ key }) => key)).toEqual(expect.arrayContaining(settings.map(({ key }) => key)))
})

it('has no two settings with the same key', () => {
  const keys = FEATURES.flatMap(({ settings = [] }: Feature) => settings.map(({ key }) => key))
  expect(keys).toEqual([...new Set(keys)])
})
