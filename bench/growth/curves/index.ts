/** All curves, in the order in which they are measured and shown. */
import type { Curve } from '../curve.js'
import { connections } from './connections.js'
import { depth } from './depth.js'
import { endurance } from './endurance.js'
import { expansions } from './expansions.js'
import { filters } from './filters.js'
import { resources } from './resources.js'
import { rows } from './rows.js'

const curves = { rows, depth, resources, filters, expansions, connections, endurance } satisfies Record<string, Curve>

export type CurveName = keyof typeof curves

export const curveNames = Object.keys(curves) as CurveName[]

/** Returns a curve by its name, typed as `Curve`. */
export const curveOf = (name: CurveName): Curve => curves[name]
