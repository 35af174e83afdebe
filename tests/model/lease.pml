/*
 * The protocol of one Lease, for Spin: nodes that acquire, renew, release and
 * take over through a server that compares and swaps, and a store that is
 * fenced by the generation. Rules are numbered as in docs/safety.md.
 *
 * What can happen, at any moment and in any order:
 *   - any process stands still for any time (Spin lets the others go on);
 *   - a write is given up, and lands later or never; its answer is late or
 *     lost; it is applied, and refused when it is repeated on the way;
 *   - each clock runs too slow, right or too fast, within the allowance, and
 *     changes its mind once a period;
 *   - work pauses between its check and its write;
 *   - somebody deletes the Lease, empties it or relabels it.
 * A process that restarts is another node here: it has another identity.
 *
 * What is bounded: WRITES writes are sent in all, EDITS edits are made. Reads,
 * losses, pauses and time are not.
 *
 * A read is one step: a late answer shows what an early one showed, and starts
 * a contender's wait only later. A watch event is such a read.
 *
 * Not here: metadata.uid (a version is never used twice, so it also tells two
 * objects of one name apart), other D than one fixed value, numbers raised by
 * hand. tests/exhaustive and tests/sim check those on the real core.
 *
 * FAULTS=n checks a liveness claim instead: then the faults are counted, what can
 * be done is done before time passes, and the Lease may be a dead node's.
 *
 * Weakened on purpose by WEAK_RESPONSE, WEAK_DRIFT, WEAK_MARK or WEAK_FENCE:
 * each must be found out.
 */
#ifndef NODES
#define NODES 2
#endif
#ifndef WRITES
#define WRITES 4
#endif
#ifndef EDITS
#define EDITS 1
#endif
#ifdef FAULTS
#define LIVE true
#define faulty (faults < FAULTS)
#else
#define LIVE false
#define FAULTS 0
#define faulty true /* without end, and without a count */
#endif
#define DOUBTS 2 /* writes of one node whose outcome is unknown */

/*
 * Time is counted in ticks; D = 3 and rho = 1/3: while three ticks pass, a
 * clock counts two, three or four.
 */
#define D 3
#define PERIOD 3
#ifdef WEAK_DRIFT
#define CLAIM D
#define WAIT D
#else
#define CLAIM 2 /* D (1 - rho): how long a holder claims, on its clock */
#define WAIT 4  /* D (1 + rho): how long a contender waits, on its clock */
#endif
#define RENEW_BY 1 /* from here to CLAIM the holder is uncertain */

mtype:request = { CREATE, ACQUIRE, RENEW, RELEASE };
mtype:place = { IDLE, OUT, ACCEPTED, REFUSED };
mtype = { S1, S2, S3, S6, S7, S9, S10, FENCE };

typedef Record {
  byte version;    /* 0: there is no such object */
  byte holder;     /* 0: nobody; node i is i + 1 */
  bit free;        /* the release form */
  byte generation;
  byte mark;       /* tells which write this is; 0: none of ours */
};

typedef Write {
  mtype:request kind;
  byte base;       /* the version it is based on: compare and swap */
  byte generation;
  byte mark;
  byte age;        /* on the sender's clock, since just before sending */
  byte landed;     /* the version that it made; 0: it was not applied */
};

typedef Node {
  bit look;        /* something must be read before anything is written */
  Record seen;
  byte still;      /* how long the record has stood still, since received */
  byte term;       /* its generation; 0: none */
  byte sent;       /* age of the last acknowledged write of the term */
  byte releasing;  /* the generation that is being released; 0: none */
  mtype:place at;  /* S13: of the one write in flight */
  Write flight;
  Write doubt[DOUBTS];
  byte work;       /* guarded work runs under this generation; 0: none */
  byte ended;      /* ghost: the generation of the last term that ended */
};

Node node[NODES];
Record lease;
byte revision = 1; /* of the server: rises with every write */
byte raised;       /* at the fenced store */
byte marks;        /* how many writes were sent */
byte edits;
byte acquired;     /* ghost: the last generation that an acquisition wrote */
byte phase;        /* of the drift's period */
byte faults;       /* in a check of liveness: how many there were */
bit hurry;         /* one of them: time passes, whatever is to be done */
hidden byte i;     /* these only inside of a step */
hidden byte k;
hidden byte next;
hidden byte who;
hidden byte as_free;

/* S1: authority is a time: whoever asks is answered from the clock. */
#define held(x) (node[x].term && node[x].sent < RENEW_BY)
#define claims(x) (node[x].term && node[x].sent < CLAIM)
#define n node[me]

inline must(rule, condition) {
  if
  :: condition
  :: else -> printf("broken: %e\n", rule); assert(false)
  fi
}

inline fault() {
  if :: LIVE -> faults++ :: else fi
}

/* What is forgotten is zero, so that states that are equal look equal. */
inline forget(write) {
  write.kind = 0;
  write.base = 0;
  write.generation = 0;
  write.mark = 0;
  write.age = 0;
  write.landed = 0
}

/* ---- A node: what it knows, what it claims ------------------------------ */

inline end_term() {
  n.ended = n.term;
  n.term = 0;
  n.sent = 0
}

/* S9: what counts as a change; a relabelling is none. */
inline see(version_, holder_, free_, generation_, mark_) {
  if
  :: holder_ != n.seen.holder || mark_ != n.seen.mark ||
     (version_ == 0) != (n.seen.version == 0) -> n.still = 0
  :: else
  fi;
  n.seen.version = version_;
  n.seen.holder = holder_;
  n.seen.free = free_;
  n.seen.generation = generation_;
  n.seen.mark = mark_
}

/* S3: any read may end a term; it also ends a release that has landed. */
#define not_ours(x) (n.seen.holder != me + 1 || n.seen.generation > x)
inline end_if_contradicted() {
  if :: n.term && not_ours(n.term) -> end_term() :: else fi;
  if :: n.releasing && not_ours(n.releasing) -> n.releasing = 0 :: else fi
}

/* S2: what a write gives counts from when that write was sent. */
inline begin_or_extend(write) {
#ifdef WEAK_RESPONSE
  write.age = 0;
#endif
  if
  :: write.kind == ACQUIRE && !n.term && !n.releasing && write.age < CLAIM ->
     must(S6, write.generation > n.ended);
     n.term = write.generation;
     n.sent = write.age;
     grants(write)
  :: write.kind == RENEW && n.term && n.term == write.generation ->
     n.sent = write.age;
     grants(write)
  :: else
  fi
}

inline grants(write) {
#ifndef WEAK_MARK
  must(S3, write.landed);
#endif
  for (i : 0 .. NODES - 1) {
    must(S1, i == me || !held(i) || !held(me));
    must(S2, i == me || !claims(i) || !claims(me))
  }
}

/* S5: the mark tells which write of ours it is that a read shows. */
#ifdef WEAK_MARK
#define shows(write) (write.mark && n.seen.holder == me + 1)
#else
#define shows(write) (write.mark == n.seen.mark && n.seen.holder == me + 1)
#endif

/* A write that the record has moved past cannot land any more. */
inline settle() {
  for (k : 0 .. DOUBTS - 1) {
    if :: shows(n.doubt[k]) -> begin_or_extend(n.doubt[k]) :: else fi;
    if
    :: n.doubt[k].base != n.seen.version || n.seen.version == 0 ->
       forget(n.doubt[k])
    :: else
    fi
  }
}

/* ---- A node: requests and answers --------------------------------------- */

inline read() {
  see(lease.version, lease.holder, lease.free, lease.generation, lease.mark);
  n.look = 0;
  settle();
  end_if_contradicted()
}

inline send(what, with) {
  n.flight.kind = what;
  n.flight.generation = with;
  n.flight.base = n.seen.version;
  marks++;
  n.flight.mark = marks;
  must(S10, with > n.ended || what == CREATE || what == RELEASE);
  must(S10, what != RELEASE || !n.work);
  n.at = OUT
}

/* S5: also a conflict is settled by reading. */
inline doubt_it() {
  for (k : 0 .. DOUBTS - 1) {
    if
    :: n.flight.mark && !n.doubt[k].mark ->
       n.doubt[k].kind = n.flight.kind;
       n.doubt[k].base = n.flight.base;
       n.doubt[k].generation = n.flight.generation;
       n.doubt[k].mark = n.flight.mark;
       n.doubt[k].age = n.flight.age;
       n.doubt[k].landed = n.flight.landed;
       forget(n.flight)
    :: else
    fi
  }
  n.look = 1;
  n.at = IDLE
}

#define names_us(write) (write.kind == ACQUIRE || write.kind == RENEW)
inline acknowledged() {
  if
  :: n.flight.landed > n.seen.version ->
     who = (names_us(n.flight) -> me + 1 : 0);
     as_free = (n.flight.kind == RELEASE);
     see(n.flight.landed, who, as_free, n.flight.generation, n.flight.mark)
  :: else
  fi;
  begin_or_extend(n.flight);
  end_if_contradicted();
  for (k : 0 .. DOUBTS - 1) { forget(n.doubt[k]) }
  forget(n.flight);
  n.at = IDLE
}

/* That a term is over is noticed before anything else is done. */
#define over (n.term && !claims(me))
#define ready (n.at == IDLE && !over)
#define standby (!n.term && !n.releasing && !n.look)
/* Nodes are alike, so that nothing is lost if the first one begins. */
#define may_write \
  (marks < WRITES && (marks || me == 0) && \
   (!n.doubt[0].mark || !n.doubt[1].mark))
#define may_look (standby && (!LIVE || n.seen.version != lease.version))
/* S9; S6: what bears our own name at once, if no work of ours runs. */
#define takeable \
  (n.seen.free || n.still >= WAIT || (n.seen.holder == me + 1 && !n.work))
/* S7: the version rises across a deletion as well. */
#define next_generation \
  (1 + (n.seen.generation > n.seen.version -> n.seen.generation \
                                            : n.seen.version))

proctype Process(byte me) {
  n.look = 1;
  do
  :: d_step { over -> end_term(); n.look = 1 }
  :: d_step { ready && (n.look || may_look) -> read(); skip }

  :: d_step { ready && may_write && standby && !n.seen.version ->
       send(CREATE, 0) }
  :: d_step { ready && may_write && standby && n.seen.version && takeable ->
       next = next_generation; send(ACQUIRE, next) }
  :: d_step { ready && may_write && n.term && !n.look && (!LIVE || n.sent) ->
       next = n.term; send(RENEW, next) }
#if !FAULTS
  /* S10: after the work; and the term ends before its release is sent. */
  :: d_step { ready && may_write && n.term && !n.work ->
       n.releasing = n.term; end_term();
       next = n.releasing; send(RELEASE, next) }
  :: d_step { ready && may_write && n.releasing && !n.look ->
       next = n.releasing; send(RELEASE, next) }
  :: d_step { ready && n.releasing -> n.releasing = 0 }
#endif

  :: d_step { n.at == ACCEPTED && !over -> acknowledged() }
  :: d_step { n.at == REFUSED && !over -> doubt_it() }
  /* No answer came in time. */
  :: d_step { n.at != IDLE && !over && faulty -> fault(); doubt_it() }
  od
}

#ifdef WORK
/* S10: work is known to its node until it says that it is done. */
proctype Worker(byte me) {
  do
  :: d_step { !n.work && held(me) -> n.work = n.term }
#ifdef WEAK_FENCE
  :: d_step { n.work -> must(FENCE, n.work >= raised); raised = n.work }
#else
  :: d_step { n.work && n.work > raised -> raised = n.work }
#endif
  :: d_step { n.work -> n.work = 0 }
  od
}
#endif

/* ---- The server, and the way there and back ----------------------------- */

#define fits(write) \
  (write.mark && !write.landed && \
   (write.kind == CREATE && !lease.version || \
    write.kind != CREATE && lease.version && write.base == lease.version))

inline apply(write) {
  if
  :: write.kind == ACQUIRE ->
     must(S7, write.generation > acquired);
     acquired = write.generation;
     for (i : 0 .. NODES - 1) { must(S9, i == me || !claims(i)) }
  :: else
  fi;
  revision++;
  write.landed = revision;
  lease.version = revision;
  lease.holder = (names_us(write) -> me + 1 : 0);
  lease.free = (write.kind == RELEASE);
  lease.generation = write.generation;
  lease.mark = write.mark
}

proctype Server(byte me) {
  do
  :: d_step { n.at == OUT && fits(n.flight) ->
       apply(n.flight); n.at = ACCEPTED }
  /* Repeated on the way: applied at first, then refused. */
  :: d_step { n.at == OUT && fits(n.flight) && faulty ->
       fault(); apply(n.flight); n.at = REFUSED }
  :: d_step { n.at == OUT && !fits(n.flight) -> n.at = REFUSED }
#if FAULTS
  /* Lost: as if it had not been sent, but that nobody knows. */
  :: d_step { n.at == OUT && faulty ->
       fault(); forget(n.flight); n.look = 1; n.at = IDLE }
#endif
  /* Given up long ago. */
  :: d_step { fits(n.doubt[0]) -> apply(n.doubt[0]) }
  :: d_step { fits(n.doubt[1]) -> apply(n.doubt[1]) }
  od
}

#if EDITS
proctype People() {
  do
  :: d_step { edits < EDITS && lease.version -> /* delete */
       edits++;
       revision++;
       lease.version = 0;
       lease.holder = 0;
       lease.free = 0;
       lease.generation = 0;
       lease.mark = 0 }
  :: d_step { edits < EDITS && lease.holder -> /* empty */
       edits++;
       revision++;
       lease.version = revision;
       lease.holder = 0 }
  :: d_step { edits < EDITS && lease.version -> /* relabel */
       edits++;
       revision++;
       lease.version = revision }
  od
}
#endif

/* ---- Time --------------------------------------------------------------- */

#define older(age, most) (age + by[me] < most -> age + by[me] : most)

inline advance() {
  if :: !n.seen.free -> n.still = older(n.still, WAIT) :: else fi;
  if :: n.term -> n.sent = older(n.sent, CLAIM) :: else fi;
  if :: n.flight.mark -> n.flight.age = older(n.flight.age, CLAIM) :: else fi;
  for (k : 0 .. DOUBTS - 1) {
    if
    :: n.doubt[k].mark -> n.doubt[k].age = older(n.doubt[k].age, CLAIM)
    :: else
    fi
  }
}

#define passes (!LIVE || timeout || hurry)

/* Once in a period each clock counts no tick, or two. */
proctype Clocks() {
  byte by[NODES];
  byte me;
  do
  :: atomic { passes && phase ->
       d_step {
         for (me : 0 .. NODES - 1) { by[me] = 1; advance(); by[me] = 0 }
         me = 0;
         hurry = 0;
         phase = (phase + 1) % PERIOD } }
  :: atomic { passes && !phase ->
       for (me : 0 .. NODES - 1) {
         if :: by[me] = 0 :: by[me] = 2 fi
       }
       d_step {
         for (me : 0 .. NODES - 1) { advance(); by[me] = 0 }
         me = 0;
         hurry = 0;
         phase = 1 } }
  od
}

#if FAULTS
proctype Pauses() {
  do
  :: d_step { faulty && !hurry -> faults++; hurry = 1 }
  od
}

/* L2: once the faults are over, somebody holds. */
#if NODES == 2
#define somebody_holds (held(0) || held(1))
#else
#define somebody_holds (held(0) || held(1) || held(2))
#endif
ltl L2 { <> somebody_holds }
#endif

init {
  atomic {
    /* Nobody's Lease, none at all, or that of a node which is dead. */
    if
    :: lease.version = 1; lease.free = 1
    :: skip
    :: lease.version = 1; lease.holder = NODES + 1; lease.generation = 1
    fi;
    byte me;
    for (me : 0 .. NODES - 1) {
      n.at = IDLE;
      run Process(me);
      run Server(me)
#ifdef WORK
      ; run Worker(me)
#endif
    }
#if EDITS
    run People();
#endif
#if FAULTS
    run Pauses();
#endif
    run Clocks();
    me = 0
  }
}
