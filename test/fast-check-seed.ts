import fc from 'fast-check'
import { seedOf } from './random.ts'

// fast-check would draw a seed of its own, which repeating a failed file wouldn't repeat.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: seedOf() })
