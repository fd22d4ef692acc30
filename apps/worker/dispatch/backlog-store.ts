import {
  type BacklogLane,
  type Database,
  finishTurns,
  giveBackTurns,
  putInBacklog,
  type TurnPiece,
  takeTurn,
} from '#persistence';

/** What one look for turns asks for. */
export interface TurnAsk {
  readonly carrierId: number;
  /** Of one turn, and so many turns. */
  readonly segmentsMax: number;
  readonly turns: number;
  readonly except: readonly string[];
  readonly done: readonly string[];
}

/** The backlogs of all accounts and the ring of their turns, as one worker uses them. */
export interface BacklogStore {
  take(ask: TurnAsk): Promise<readonly TurnPiece[]>;
  finish(backlogIds: readonly string[]): Promise<void>;
  giveBack(backlogIds: readonly string[]): Promise<void>;
  put(ids: readonly string[], carrierId: number, lane: BacklogLane): Promise<void>;
}

/** In the database, where the orders are. */
export class DatabaseBacklogs implements BacklogStore {
  constructor(
    private readonly database: Database,
    private readonly workerId: string,
  ) {}

  take(ask: TurnAsk): Promise<readonly TurnPiece[]> {
    return takeTurn(this.database, { ...ask, workerId: this.workerId });
  }

  finish(backlogIds: readonly string[]): Promise<void> {
    return finishTurns(this.database, this.workerId, backlogIds);
  }

  giveBack(backlogIds: readonly string[]): Promise<void> {
    return giveBackTurns(this.database, this.workerId, backlogIds);
  }

  put(ids: readonly string[], carrierId: number, lane: BacklogLane): Promise<void> {
    return putInBacklog(this.database, ids, carrierId, lane);
  }
}
