/** The types that the views show: the engine's trace, and the settings that the page offers. */
import type { Drawn as EngineDrawn, TableRow } from '../engine/types.js';

export type { Trace, TraceStage as Stage, TraceToken } from '../engine/types.js';

/** A drawn token with its text. */
export type Drawn = EngineDrawn & { text: string; special: boolean; forced?: boolean };

/** A drawn token of the text, with its position in tokens. */
export type Step = Drawn & { position: number };

/** A setting whose value is a number. */
export type SettingRow = Omit<TableRow, 'neutral'> & { neutral: number };

/** Settings by name; values are numbers, the convention or DRY's sequence breakers. */
export type Settings = Record<string, any>;
