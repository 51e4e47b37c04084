/** The data of the views: the engine's trace, and the settings that the page offers. */
import type { Drawn as EngineDrawn, TableRow } from '../engine/types.js';

export type { Trace, TraceStage as Stage, TraceToken } from '../engine/types.js';

/** A drawn token with its text. */
export type Drawn = EngineDrawn & { text: string; special: boolean; forced?: boolean };

/** One drawn token of the text. */
export type Step = Drawn & { position: number };

/** A setting that is a number. */
export type SettingRow = Omit<TableRow, 'neutral'> & { neutral: number };

/** By name: numbers, the convention, DRY's breakers. */
export type Settings = Record<string, any>;
