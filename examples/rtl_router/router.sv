// A router of the fabric in SystemVerilog, for verilator --sc (docs/rtl-in-the-loop.md): five ports, 24
// colors with plain routes, multicast, credits, round robin or fixed order (wse.md 1.2, 1.11). It
// decides as fabric::RouterCore does, cycle by cycle.
//
// A wavelet on the pins of an input at an edge may leave at the same edge. It leaves through each
// output of its color once; the last copy frees its place.

`define INPUT_PINS(side) \
  input  logic        side``_in_valid, \
  input  logic [4:0]  side``_in_color, \
  input  logic [31:0] side``_in_data, \
  input  logic        side``_in_control, \
  input  logic        side``_in_half, \
  output logic [95:0] side``_in_credit

`define OUTPUT_PINS(side) \
  output logic         side``_out_valid, \
  output logic [4:0]   side``_out_color, \
  output logic [31:0]  side``_out_data, \
  output logic         side``_out_control, \
  output logic         side``_out_half, \
  input  logic [95:0]  side``_out_credit, \
  input  logic [191:0] side``_out_capacity

`define CONNECT(side, d) \
  assign in_valid[d] = side``_in_valid; \
  assign in_color[d] = side``_in_color; \
  assign in_word[d] = {side``_in_half, side``_in_control, side``_in_data}; \
  assign side``_in_credit = freed[d]; \
  assign side``_out_valid = out_valid[d]; \
  assign side``_out_color = out_color[d]; \
  assign {side``_out_half, side``_out_control, side``_out_data} = out_word[d]; \
  assign back[d] = side``_out_credit; \
  assign capacity[d] = side``_out_capacity

module router #(
  parameter int ROOM_BITS = 4  // places of a color at an input: 2 ** ROOM_BITS
) (
  input logic         clock,
  input logic         reset,
  input logic [119:0] route_rx,     // bit color * 5 + direction
  input logic [119:0] route_tx,
  input logic         fixed_order,
  `INPUT_PINS(west), `INPUT_PINS(east), `INPUT_PINS(south), `INPUT_PINS(north), `INPUT_PINS(ramp),
  `OUTPUT_PINS(west), `OUTPUT_PINS(east), `OUTPUT_PINS(south), `OUTPUT_PINS(north),
  `OUTPUT_PINS(ramp)
);
  localparam int Directions = 5;
  localparam int Colors = 24;
  localparam int Pairs = Directions * Colors;  // (input, color), numbered color * 5 + direction
  localparam int Ramp = 4;
  localparam int NoceBit = 24;                 // of a control wavelet: ignored at the CE (wse.md 1.5)

  logic         in_valid[Directions];
  logic [4:0]   in_color[Directions];
  logic [33:0]  in_word[Directions];
  logic [95:0]  freed[Directions];
  logic         out_valid[Directions];
  logic [4:0]   out_color[Directions];
  logic [33:0]  out_word[Directions];
  logic [95:0]  back[Directions];
  logic [191:0] capacity[Directions];

  `CONNECT(west, 0);
  `CONNECT(east, 1);
  `CONNECT(south, 2);
  `CONNECT(north, 3);
  `CONNECT(ramp, 4);

  logic [33:0]          buffer[Pairs << ROOM_BITS];
  logic [ROOM_BITS-1:0] head[Pairs];
  logic [ROOM_BITS:0]   count[Pairs];
  logic [4:0]           left[Pairs];                  // outputs that the head has left through
  logic [119:0]         occupied;
  logic [7:0]           credits[Directions * Colors]; // of (color, output)
  logic [6:0]           turn[Directions];             // the pair that an output looks at first

  // Outputs of the head of a pair: those of its color, but not the CE if it is to ignore the wavelet.
  function automatic logic [4:0] outputs_of(input int pair, input logic [33:0] word);
    logic [4:0] outputs = route_tx[pair / Directions * Directions +: Directions];
    if (word[32] && word[NoceBit]) outputs[Ramp] = 1'b0;
    return outputs;
  endfunction

  function automatic logic [33:0] head_of(input int pair);
    return buffer[(pair << ROOM_BITS) + 32'(head[pair])];
  endfunction

  // All state of the router changes here, in the order of RouterCore::step, so blocking assignments
  // are meant.
  /* verilator lint_off BLKSEQ */
  always @(posedge clock) begin
    int pair;
    logic [6:0] channel;
    logic [119:0] moved;
    logic granted;

    for (int d = 0; d < Directions; d++) begin
      out_valid[d] = 1'b0;
      freed[d] = '0;
    end
    moved = '0;
    if (reset) begin
      occupied = '0;
      for (int p = 0; p < Pairs; p++) begin
        head[p] = '0;
        count[p] = '0;
        left[p] = '0;
        credits[p] = capacity[p % Directions][p / Directions * 8 +: 8];
      end
      for (int d = 0; d < Directions; d++) turn[d] = '0;
    end else begin
      for (int d = 0; d < Directions; d++) begin
        // 1. Credits that are due.
        if (back[d] != '0)
          for (int c = 0; c < Colors; c++)
            credits[c * Directions + d] += 8'(back[d][c * 4 +: 4]);
        // 2. What lands.
        pair = 32'(in_color[d]) * Directions + d;
        if (in_valid[d] && route_rx[pair]) begin
          buffer[(pair << ROOM_BITS) + 32'(ROOM_BITS'(32'(head[pair]) + 32'(count[pair])))] = in_word[d];
          count[pair]++;
          occupied[pair] = 1'b1;
        end
      end
      // 3. Each output grants one head.
      if (occupied != '0) begin
        for (int d = 0; d < Directions; d++) begin
          granted = 1'b0;
          for (int i = 0; i < 128 && !granted; i++) begin
            pair = 32'(7'(32'(turn[d]) + i));
            if (pair < Pairs && occupied[pair]) begin
              channel = 7'(pair / Directions * Directions + d);
              if ((outputs_of(pair, head_of(pair)) & ~left[pair] & 5'(1 << d)) != '0
                  && credits[channel] != '0) begin
                granted = 1'b1;
                out_valid[d] = 1'b1;
                out_color[d] = 5'(pair / Directions);
                out_word[d] = head_of(pair);
                credits[channel]--;
                left[pair][d] = 1'b1;
                moved[pair] = 1'b1;
                if (!fixed_order) turn[d] = 7'(pair + 1);
              end
            end
          end
        end
        // 4. A head that has left through all its outputs goes; so does one that the CE alone would get
        //    and ignores, and one whose route has no output.
        for (int p = 0; p < Pairs; p++) begin
          if (occupied[p]
              && (moved[p] || outputs_of(p, head_of(p)) == '0)
              && (outputs_of(p, head_of(p)) & ~left[p]) == '0) begin
            freed[p % Directions][p / Directions * 4 +: 4] = 4'd1;
            head[p]++;
            count[p]--;
            left[p] = '0;
            occupied[p] = count[p] != '0;
          end
        end
      end
    end
  end
  /* verilator lint_on BLKSEQ */
endmodule
