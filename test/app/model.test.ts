import type { Setting } from '@signalman/durable'
import { expect, it } from 'vitest'
import { FEATURES } from '../../src/app/features.ts'
import { SETTINGS } from '../../src/app/model.ts'
import type { Feature } from '../../src/bot/feature.ts'
import { filesIn, textOf } from '../source-files.ts'

const isSetting = (value: unknown): value is Setting<unknown> =>
  typeof value === 'object' && value !== null && 'key' in value && 'read' in value

const withSettings = filesIn('src/features').filter((file) =>
  /(?:: Setting<|\bownSetting[<(])/.test(textOf(file)),
)

it.each(withSettings)('declares every setting of %s in its feature', async (file) => {
  const made = Object.values(await import(`../../${file}`)).filter(isSetting)
  const name = file.split('/')[2]
  expect(made.map(({ key }) => SETTINGS.get(key)?.feature)).toEqual(made.map(() => name))
})

it('has no two settings with the same key', () => {
  const keys = FEATURES.flatMap(({ settings = [] }: Feature) => settings.map(({ key }) => key))
  expect(keys).toEqual([...new Set(keys)])
})
